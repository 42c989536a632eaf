import { type PageServer, readJsonPage } from './page-server.js';

/**
 * The objects that a server has read and that are in force, as the text of a file.
 *
 * @throws UnreachableError, PageRefusedError
 */
export async function readServedObjects(server: PageServer): Promise<{ readonly file: string; readonly text: string }> {
  const items = await readJsonPage(server, '/debug/configz');
  return { file: server.name, text: JSON.stringify({ apiVersion: 'v1', kind: 'List', items }) };
}
