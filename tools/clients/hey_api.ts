// A client of @hey-api/openapi-ts: creates, lists, searches and deletes a link.

import { equal, key, server } from "./check";
import { client } from "./generated/hey-api/client.gen";
import { addLink, addList, allLinks, bulkDelete, searchLinks, showLink, trashLink } from "./generated/hey-api/sdk.gen";

const url = "https://hey-api.example/";

async function main(): Promise<void> {
  client.setConfig({ baseUrl: server, auth: key });

  const listId = (await addList({ body: { name: "hey-api" } })).data?.id ?? 0;
  const created = await addLink({ body: { url, lists: [listId], tags: ["typescript"], visibility: 2, check_disabled: true } });
  const link = created.data!;
  equal("created", [link.url, link.visibility, link.is_private, link.check_disabled], [url, 2, false, true]);
  equal("its lists and tags", [link.lists[0]?.id, link.tags[0]?.name], [listId, "typescript"]);

  const all = await allLinks({ query: { per_page: -1, order_by: "url" } });
  equal("listed", all.data?.data.map((l) => l.url), [url]);
  const found = await searchLinks({ query: { query: "hey-api", search_title: true, only_lists: String(listId) } });
  equal("found", found.data?.total, 1);

  const again = await addLink({ body: { url } });
  equal("created again", again.error, { message: "The url has already been taken.", errors: { url: ["The url has already been taken."] } });

  await trashLink({ path: { id: link.id } });
  const gone = await showLink({ path: { id: link.id } });
  equal("after it was deleted", gone.response?.status, 404);
  const deleted = await bulkDelete({ body: { type: "lists", models: [listId] } });
  equal("deleted in bulk", deleted.data, { [listId]: true });
}

void main();
