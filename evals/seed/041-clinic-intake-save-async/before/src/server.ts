import Fastify from "fastify";
import { connect } from "./db/pool.js";
import { draftRoutes } from "./routes/drafts.js";
import { formRoutes } from "./routes/forms.js";
import { startCleanup } from "./jobs/cleanup.js";

const app = Fastify({ logger: true });
const pool = connect(process.env.DATABASE_URL);

draftRoutes(app, pool);
formRoutes(app, pool);
startCleanup(pool, app.log);

await app.listen({ port: Number(process.env.PORT ?? 3000), host: "0.0.0.0" });
