// A client of orval: creates, lists, searches and deletes a link.

import { equal, key } from "./check";
import { addLink, addList, allLinks, bulkDelete, searchLinks, showLink, trashLink } from "./generated/orval";

const url = "https://orval.example/";
const options = { headers: { Authorization: `Bearer ${key}` } };

/** ok returns the data of a response with status 200. */
function ok<T extends { status: number; data: unknown }>(response: T): Extract<T, { status: 200 }>["data"] {
  equal("status", response.status, 200);
  return response.data as Extract<T, { status: 200 }>["data"];
}

async function main(): Promise<void> {
  const listId = ok(await addList({ name: "orval" }, options)).id;
  const link = ok(await addLink({ url, lists: [listId], tags: ["typescript"], visibility: 2, check_disabled: true }, options));
  equal("created", [link.url, link.visibility, link.is_private, link.check_disabled], [url, 2, false, true]);
  equal("its lists and tags", [link.lists[0]?.id, link.tags[0]?.name], [listId, "typescript"]);

  const all = ok(await allLinks({ per_page: -1, order_by: "url" }, options));
  equal("listed", all.data.map((l) => l.url), [url]);
  const found = ok(await searchLinks({ query: "orval", search_title: true, only_lists: String(listId) }, options));
  equal("found", found.total, 1);

  const again = await addLink({ url }, options);
  if (again.status !== 422) {
    throw new Error(`created again: got status ${again.status}, want 422`);
  }
  equal("created again", again.data.errors["url"], ["The url has already been taken."]);

  ok(await trashLink(link.id, options));
  equal("after it was deleted", (await showLink(link.id, options)).status, 404);
  const deleted = ok(await bulkDelete({ type: "lists", models: [listId] }, undefined, options));
  equal("deleted in bulk", deleted, { [listId]: true });
}

void main();
