import { transaction, type Pool } from "./pool.js";
import type { Answers, Draft } from "../model.js";

export async function findDraft(pool: Pool, id: string): Promise<Draft | null> {
  const found = await pool.query("SELECT id, form, answers, saved FROM drafts WHERE id = $1", [id]);
  return found.rows[0] ?? null;
}

export async function saveDraft(pool: Pool, id: string, form: string, answers: Answers): Promise<Draft> {
  return await transaction(pool, async (client) => {
    const saved = await client.query(
      `INSERT INTO drafts (id, form, answers) VALUES ($1, $2, $3)
       ON CONFLICT (id) DO UPDATE SET answers = $3, saved = now()
       RETURNING id, form, answers, saved`,
      [id, form, answers],
    );
    await client.query("INSERT INTO draft_log (draft) VALUES ($1)", [id]);
    return saved.rows[0] as Draft;
  });
}

export async function dropDraft(pool: Pool, id: string): Promise<void> {
  await pool.query("DELETE FROM drafts WHERE id = $1", [id]);
}
