// What the three clients check alike.

import { env } from "node:process";

export const server = `${env["WAYMARK_URL"]}/api/v2`;
export const key = env["WAYMARK_KEY"] ?? "";

/** equal fails unless got is want. */
export function equal<T>(what: string, got: T, want: T): void {
  if (JSON.stringify(got) !== JSON.stringify(want)) {
    throw new Error(`${what}: got ${JSON.stringify(got)}, want ${JSON.stringify(want)}`);
  }
}
