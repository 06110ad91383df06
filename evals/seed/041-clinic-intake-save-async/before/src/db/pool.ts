import pg from "pg";

export type Pool = pg.Pool;

export function connect(url: string | undefined): Pool {
  if (!url) throw new Error("DATABASE_URL is missing");
  return new pg.Pool({ connectionString: url, max: 8, idleTimeoutMillis: 30_000 });
}

export async function transaction<T>(pool: Pool, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  try {
    await client.query("BEGIN");
    const result = await work(client);
    await client.query("COMMIT");
    return result;
  } catch (error) {
    await client.query("ROLLBACK");
    throw error;
  } finally {
    client.release();
  }
}
