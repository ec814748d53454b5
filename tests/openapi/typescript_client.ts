// An integration as a program would write it, with the types that openapi-typescript generates from the document.
import createClient from "openapi-fetch";

import type { components, paths } from "./api";

declare const process: { env: { SERVER: string; TOKEN: string } };

type DataProposal = components["schemas"]["DataProposal"];
type PlannedOperation = components["schemas"]["PlannedOperation"];

const api = createClient<paths>({
  baseUrl: process.env.SERVER,
  headers: { Authorization: `Bearer ${process.env.TOKEN}` },
});

function check(condition: unknown, what: unknown): asserts condition {
  if (!condition) throw new Error(`unexpected: ${JSON.stringify(what)}`);
}

async function createTable(): Promise<number> {
  const { data, error } = await api.POST("/api/tables/", {
    body: {
      name: "Jobs",
      columns: [
        { name: "Company", type: "text" },
        { name: "Salary", type: "number" },
        { name: "Status", type: "select", options: ["Open", "Done"] },
      ],
    },
  });
  check(data, error);
  return data.id;
}

async function addRows(table_id: number): Promise<number[]> {
  const { data, error } = await api.POST("/api/tables/{table_id}/rows/", {
    params: { path: { table_id }, header: { "Idempotency-Key": "rows-1" } },
    body: {
      rows: [
        { Company: "Acme", Salary: 50_000, Status: "Open" },
        { Company: "Bolt", Salary: 60_000, Status: "Done" },
      ],
    },
  });
  check(data && "rows" in data, error);
  return data.rows.map((row) => row.id);
}

async function salaries(table_id: number, company: string): Promise<unknown[]> {
  const filter = JSON.stringify({ column: "Company", op: "eq", value: company });
  const { data, error } = await api.GET("/api/tables/{table_id}/rows/", {
    params: { path: { table_id }, query: { filter, sort: "-Salary", limit: 10 } },
  });
  check(data, error);
  return data.rows.map((row) => row.data.Salary);
}

async function upsert(table_id: number): Promise<void> {
  const { data, error } = await api.PUT("/api/tables/{table_id}/rows/", {
    params: { path: { table_id } },
    body: { merge_on: ["Company"], rows: [{ Company: "Bolt", Salary: 61_000 }, { Company: "Crane", Salary: 40_000 }] },
  });
  check(data && "created" in data, error);
  check(data.created.length === 1 && data.updated.length === 1, data);
}

async function applyWithPlan(table_id: number, row_id: number): Promise<number> {
  const body: DataProposal = { operations: [{ action: "update", row_id, changes: { Status: "Done" } }] };
  const url = "/api/tables/{table_id}/proposals/data/";
  const dryRun = await api.POST(url, { params: { path: { table_id }, query: { dry_run: true } }, body });
  check(dryRun.data && "operations" in dryRun.data, dryRun.error);
  const [planned]: PlannedOperation[] = dryRun.data.operations;
  check(planned?.state === "ok" && planned.old.Status === "Open", planned);
  const { plan } = dryRun.data;
  const applied = await api.POST(url, { params: { path: { table_id }, query: { plan } }, body });
  check(applied.data && "applied" in applied.data && applied.data.change !== null, applied.error);
  return applied.data.change;
}

async function conflict(table_id: number, row_id: number): Promise<void> {
  const { error, response } = await api.PATCH("/api/tables/{table_id}/rows/{row_id}/", {
    params: { path: { table_id, row_id }, header: { "If-Match": '"1"' } },
    body: { data: { Salary: 1 } },
  });
  check(response.status === 412 && error?.request_id, error);
}

async function undo(table_id: number, change_id: number): Promise<void> {
  const { data, error } = await api.POST("/api/tables/{table_id}/changes/{change_id}/undo/", {
    params: { path: { table_id, change_id } },
    body: {},
  });
  check(data, error);
}

const table = await createTable();
const [acme] = await addRows(table);
check(acme, "no row");
await upsert(table);
check((await salaries(table, "Bolt")).join() === "61000", "the row is not changed");
const change = await applyWithPlan(table, acme);
await conflict(table, acme);
await undo(table, change);
const row = await api.GET("/api/tables/{table_id}/rows/{row_id}/", { params: { path: { table_id: table, row_id: acme } } });
check(row.data?.data.Status === "Open", row.data);
