import path from 'node:path';
import type { FileContents } from '../watched-files.js';
import { readCertificateFields } from '../x509/read-certificate.js';
import { checkMaterial } from './check-material.js';
import type { MaterialTexts, SigningMaterial } from './signing-material.js';

/** Names of the files in ROOT_CA_DIR (docs/reference/certificate-authority.md#ca-material). */
export const PLUGGED_IN_FILES = {
  privateKey: 'ca-key.pem',
  certificate: 'ca-cert.pem',
  chain: 'cert-chain.pem',
  roots: 'root-cert.pem',
} as const satisfies Record<keyof MaterialTexts, string>;

type Part = keyof MaterialTexts;
export type PluggedInContents = FileContents<Part>;

/** The content of ROOT_CA_DIR. */
export type PluggedIn =
  /** No CA; possibly roots to trust in addition to the self-signed one. */
  | { readonly type: 'none'; readonly extraRoots: string }
  | { readonly type: 'material'; readonly material: SigningMaterial }
  /** `reason` is one line: file, problem, remedy. */
  | { readonly type: 'refused'; readonly reason: string };

export function pluggedInPaths(folder: string): Readonly<Record<Part, string>> {
  return {
    privateKey: path.join(folder, PLUGGED_IN_FILES.privateKey),
    certificate: path.join(folder, PLUGGED_IN_FILES.certificate),
    chain: path.join(folder, PLUGGED_IN_FILES.chain),
    roots: path.join(folder, PLUGGED_IN_FILES.roots),
  };
}

/**
 * Checks the files of ROOT_CA_DIR. Without a key and a certificate there is no CA. The chain is optional if a root has
 * issued the certificate.
 */
export function readPluggedIn(folder: string, contents: PluggedInContents, now: Date): PluggedIn {
  const paths = pluggedInPaths(folder);
  const refused = (part: Part, problem: string, remedy: string): PluggedIn => ({
    type: 'refused',
    reason: `${paths[part]} ${problem}; ${remedy}`,
  });
  for (const part of ['privateKey', 'certificate', 'chain', 'roots'] as const) {
    const content = contents[part];
    if (content.type === 'unreadable') {
      return refused(part, `cannot be read: ${content.reason}`, 'let this process read it, or remove it');
    }
  }
  const texts: MaterialTexts = {
    privateKey: partOf(contents, 'privateKey'),
    certificate: partOf(contents, 'certificate'),
    chain: partOf(contents, 'chain'),
    roots: partOf(contents, 'roots'),
  };
  if (texts.privateKey === '' && texts.certificate === '') return { type: 'none', extraRoots: texts.roots };
  for (const part of ['privateKey', 'certificate', 'roots'] as const) {
    if (texts[part] !== '') continue;
    const remedy = `put all of a CA into ${folder}, or neither its key nor its certificate for a self-signed one`;
    return refused(part, 'is missing or empty', remedy);
  }
  const checked = checkMaterial(texts);
  if (checked.type === 'problem') return refused(checked.problem.part, checked.problem.problem, checked.problem.remedy);
  return lifetimeProblem(checked.material, now, refused) ?? checked;
}

function lifetimeProblem(
  material: SigningMaterial,
  now: Date,
  refused: (part: Part, problem: string, remedy: string) => PluggedIn,
): PluggedIn | undefined {
  const [root = material.certificate] = material.roots;
  for (const [part, certificate] of [
    ['certificate', material.certificate],
    ...material.intermediates.map((each) => ['chain', each] as const),
    ['roots', root],
  ] as const) {
    const { notBefore, notAfter } = readCertificateFields(certificate);
    if (notAfter <= now)
      return refused(part, `expired at ${notAfter.toISOString()}`, 'replace it by one that is valid');
    if (notBefore <= now) continue;
    const remedy = 'wait until then, or set the clock of this machine';
    return refused(part, `is not valid before ${notBefore.toISOString()}`, remedy);
  }
  return undefined;
}

function partOf(contents: PluggedInContents, part: Part): string {
  const content = contents[part];
  return content.type === 'text' ? content.text.trim() : '';
}
