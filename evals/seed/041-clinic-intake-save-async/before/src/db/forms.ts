import type { Pool } from "./pool.js";
import type { Answers, Form } from "../model.js";

export async function findForm(pool: Pool, name: string): Promise<Form | null> {
  const found = await pool.query("SELECT name, title, questions FROM forms WHERE name = $1", [name]);
  return found.rows[0] ?? null;
}

export async function submit(pool: Pool, form: string, answers: Answers): Promise<number> {
  const added = await pool.query(
    "INSERT INTO submissions (form, answers) VALUES ($1, $2) RETURNING number",
    [form, answers],
  );
  return added.rows[0].number as number;
}
