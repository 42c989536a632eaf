import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import test from 'ava';
import { readBuildInfo, versionLine } from '../../src/telemetry/build-info.js';

/** Reads build information from a folder with the given files. */
function readFrom(files: Readonly<Record<string, string>>) {
  const root = mkdtempSync(join(tmpdir(), 'build-'));
  mkdirSync(join(root, 'build'));
  for (const [name, content] of Object.entries(files)) {
    writeFileSync(join(root, name), content);
  }
  const info = readBuildInfo(pathToFileURL(`${root}/`));
  rmSync(root, { recursive: true });
  return info;
}

test("the package's own version is found", (t) => {
  t.regex(readBuildInfo().version, /^\d+\.\d+\.\d+/);
  t.is(readBuildInfo().runtime, `node ${process.version}`);
});

test('the file that the build has written is read', (t) => {
  const info = readFrom({
    'package.json': '{"version":"1.2.3"}',
    'build/build-info.json': '{"revision":"abc","status":"Clean","tag":"v1.2.3"}',
  });
  t.like(info, { version: '1.2.3', revision: 'abc', status: 'Clean', tag: 'v1.2.3' });
  t.is(versionLine(info), '1.2.3-abc-Clean');
});

test('missing fields are "unknown"', (t) => {
  const nothing = { version: 'unknown', revision: 'unknown', status: 'unknown', tag: 'unknown' };
  t.like(readFrom({}), nothing);
  t.like(readFrom({ 'package.json': 'not JSON', 'build/build-info.json': '[]' }), nothing);
  t.like(readFrom({ 'package.json': '{"version":7}', 'build/build-info.json': '{"tag":""}' }), nothing);
});
