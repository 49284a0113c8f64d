// A client of openapi-typescript and openapi-fetch: creates, lists, searches and deletes a link.

import createClient from "openapi-fetch";

import { equal, key, server } from "./check";
import type { paths } from "./generated/openapi-typescript";

const url = "https://openapi-typescript.example/";

async function main(): Promise<void> {
  const client = createClient<paths>({ baseUrl: server, headers: { Authorization: `Bearer ${key}` } });

  const listId = (await client.POST("/lists", { body: { name: "openapi-typescript" } })).data?.id ?? 0;
  const created = await client.POST("/links", { body: { url, lists: [listId], tags: ["typescript"], visibility: 2, check_disabled: true } });
  const link = created.data!;
  equal("created", [link.url, link.visibility, link.is_private, link.check_disabled], [url, 2, false, true]);
  equal("its lists and tags", [link.lists[0]?.id, link.tags[0]?.name], [listId, "typescript"]);

  const all = await client.GET("/links", { params: { query: { per_page: -1, order_by: "url" } } });
  equal("listed", all.data?.data.map((l) => l.url), [url]);
  const found = await client.GET("/search/links", { params: { query: { query: "typescript", search_title: true, only_lists: String(listId) } } });
  equal("found", found.data?.total, 1);

  const again = await client.POST("/links", { body: { url } });
  equal("created again", again.error, { message: "The url has already been taken.", errors: { url: ["The url has already been taken."] } });

  await client.DELETE("/links/{id}", { params: { path: { id: link.id } } });
  const gone = await client.GET("/links/{id}", { params: { path: { id: link.id } } });
  equal("after it was deleted", gone.response.status, 404);
  const deleted = await client.DELETE("/bulk/delete", { body: { type: "lists", models: [listId] } });
  equal("deleted in bulk", deleted.data, { [listId]: true });
}

void main();
