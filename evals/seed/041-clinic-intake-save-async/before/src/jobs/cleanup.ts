import type { FastifyBaseLogger } from "fastify";
import type { Pool } from "../db/pool.js";

const EVERY = 6 * 60 * 60 * 1000;

export function startCleanup(pool: Pool, log: FastifyBaseLogger): NodeJS.Timeout {
  return setInterval(() => {
    pool
      .query("DELETE FROM drafts WHERE saved < now() - interval '30 days'")
      .then((result) => log.info(`${result.rowCount} old drafts removed`))
      .catch((error: unknown) => log.error(error));
  }, EVERY);
}
