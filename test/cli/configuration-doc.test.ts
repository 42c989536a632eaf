import { readFile } from 'node:fs/promises';
import test from 'ava';

const root = new URL('../../../', import.meta.url);

test('docs/configuration.md is what npm run generate writes', async (t) => {
  const renderer: { renderConfigurationDoc(): Promise<string> } = await import(
    new URL('scripts/render-configuration-doc.mjs', root).href
  );
  t.is(await readFile(new URL('docs/configuration.md', root), 'utf8'), await renderer.renderConfigurationDoc());
});
