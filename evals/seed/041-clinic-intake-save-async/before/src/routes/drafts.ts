import type { FastifyInstance } from "fastify";
import { dropDraft, findDraft, saveDraft } from "../db/drafts.js";
import type { Pool } from "../db/pool.js";
import type { Answers } from "../model.js";

interface Body {
  form: string;
  answers: Answers;
}

export function draftRoutes(app: FastifyInstance, pool: Pool): void {
  app.get<{ Params: { id: string } }>("/drafts/:id", async (request, reply) => {
    const draft = await findDraft(pool, request.params.id);
    return draft ?? reply.code(404).send({ error: "no such draft" });
  });

  app.put<{ Params: { id: string }; Body: Body }>("/drafts/:id", async (request) => {
    const { form, answers } = request.body;
    return await saveDraft(pool, request.params.id, form, answers);
  });

  app.delete<{ Params: { id: string } }>("/drafts/:id", async (request, reply) => {
    await dropDraft(pool, request.params.id);
    return reply.code(204).send();
  });
}
