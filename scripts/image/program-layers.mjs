// The layers above the root file system: packages, and what the last stage of the Dockerfile copies beside them.
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { productionPackages } from '../production-packages.mjs';
import { projectRoot } from '../set-up.mjs';
import { copiesOf, finalStage, instruction, readStages } from './dockerfile.mjs';
import { writeLayer } from './layer.mjs';

/** Sources of the build stage that come from elsewhere: the programs that set network rules are in the first layer. */
const IN_BASE = '/capture/usr/';
const LINKS = '/links/';
const PACKAGES = '/app/node_modules';

/** Modes of a checkout depend on the umask of its owner. */
const SAME_MODES = '--mode=u=rwX,go=rX';

/** Writes both layers into a folder of blobs. See writeLayer() for the results. */
export async function programLayers(blobs) {
  const packages = productionPackages(projectRoot)
    .map(([path]) => path)
    .filter((path) => !path.includes('/node_modules/') && existsSync(join(projectRoot, path)))
    .sort();
  const root = mkdtempSync(join(tmpdir(), 'navigator-programs-'));
  try {
    for (const copy of copiesOf(finalStage())) for (const source of copy.sources) place(root, source, copy);
    return [
      await writeLayer([SAME_MODES, '--transform=flags=r;s,^,app/,', '-C', projectRoot, ...packages], blobs),
      await writeLayer([SAME_MODES, '-C', root, '.'], blobs),
    ];
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

function place(root, source, { from, target }) {
  if (from !== undefined && (source === IN_BASE || source === PACKAGES)) return;
  if (from !== undefined && source === LINKS) {
    placeLinks(root, target);
    return;
  }
  if (from !== undefined && !source.startsWith('/app/')) {
    throw new Error(`Dockerfile: npm run image does not know where ${source} of the stage ${from} comes from`);
  }
  const destination = join(root, target);
  mkdirSync(dirname(destination), { recursive: true });
  cpSync(join(projectRoot, source.replace(/^\/app\//, '')), destination, { recursive: true });
}

/** The links that the build stage makes to the programs, whose first line names Node.js of the image. */
function placeLinks(root, target) {
  const [node] = JSON.parse(instruction(finalStage(), 'ENTRYPOINT'));
  mkdirSync(join(root, target), { recursive: true });
  for (const [, program, link] of readStages()
    .flat()
    .join('\n')
    .matchAll(/ln -s (\S+) \/links\/(\S+)/g)) {
    symlinkSync(program, join(root, target, basename(link)));
    const file = join(root, program);
    writeFileSync(file, readFileSync(file, 'utf8').replace(/^#!.*/, `#!${node}`));
    chmodSync(file, 0o755);
  }
}
