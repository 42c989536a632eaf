import { isRecord } from '../base/record.js';
import { type PageServer, readJsonPage } from './page-server.js';

/**
 * The objects that a server has read and that are in force, as the text of a file. Those that the server made from them
 * are left out: a reader makes them again.
 *
 * @throws UnreachableError, PageRefusedError
 */
export async function readServedObjects(server: PageServer): Promise<{ readonly file: string; readonly text: string }> {
  const page = await readJsonPage(server, '/debug/configz');
  const items = Array.isArray(page) ? page.filter((item) => !isRecord(item) || item['madeFrom'] === undefined) : page;
  return { file: server.name, text: JSON.stringify({ apiVersion: 'v1', kind: 'List', items }) };
}
