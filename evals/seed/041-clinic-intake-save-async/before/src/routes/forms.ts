import type { FastifyInstance } from "fastify";
import { missingAnswers, unknownAnswers } from "../check.js";
import { findForm, submit } from "../db/forms.js";
import type { Pool } from "../db/pool.js";
import type { Answers } from "../model.js";

export function formRoutes(app: FastifyInstance, pool: Pool): void {
  app.get<{ Params: { name: string } }>("/forms/:name", async (request, reply) => {
    const form = await findForm(pool, request.params.name);
    return form ?? reply.code(404).send({ error: "no such form" });
  });

  app.post<{ Params: { name: string }; Body: Answers }>("/forms/:name", async (request, reply) => {
    const form = await findForm(pool, request.params.name);
    if (!form) return reply.code(404).send({ error: "no such form" });
    const missing = missingAnswers(form, request.body);
    const unknown = unknownAnswers(form, request.body);
    if (missing.length > 0 || unknown.length > 0) {
      return reply.code(422).send({ missing, unknown });
    }
    return { number: await submit(pool, form.name, request.body) };
  });
}
