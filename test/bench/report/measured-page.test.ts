import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { parseBenchOptions } from '../../../bench/cli/bench-options.js';
import { fanOutCommand } from '../../../bench/cli/fan-out-command.js';
import { parseFlags } from '../../../bench/cli/parsed-flags.js';
import { MEASURED_SECTIONS, putIntoPage } from '../../../bench/report/measured-page.js';
import { projectRoot } from '../../counterparts/project-root.js';

const ROUTES = { name: 'routes', args: ['--routed', '5'] };

test('the text of a run replaces the one before, in its place alone', (t) => {
  const page =
    'before\n<!-- run: other -->\nkept\n<!-- end of run -->\n<!-- run: routes -->\nold\n<!-- end of run -->\nafter\n';
  const written = putIntoPage(page, ROUTES, '\n1 ms\n');
  t.is(written, page.replace('old\n', '\n```\n$ npm run bench -- --routed 5\n\n1 ms\n```\n\n'));
  t.is(putIntoPage(written, ROUTES, '\n1 ms\n'), written);
  t.throws(() => putIntoPage('', ROUTES, ''), { instanceOf: RangeError, message: /no place for the run routes/ });
});

test('the page has a place for each run, and the flags of each run exist', async (t) => {
  const page = await readFile(join(projectRoot(), 'docs/performance.md'), 'utf8');
  for (const section of MEASURED_SECTIONS) {
    t.true(putIntoPage(page, section, 'figures').includes('figures'));
    if (section.args[0] !== 'connections')
      t.notThrows(() => parseBenchOptions(parseFlags(fanOutCommand, section.args)));
  }
});
