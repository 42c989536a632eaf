// node scripts/audit-signatures.mjs: `npm audit signatures` for CI. It fails when a signature or an attestation is wrong or
// missing. Where the registry or the keys of its signatures cannot be reached it says so, and passes: nothing was verified.
import { spawnSync } from 'node:child_process';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

const TIMEOUT_MS = 120_000;
const UNREACHABLE =
  /\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ERR_SOCKET_TIMEOUT|E404)\b/;
const NO_SIGNATURES =
  /No dependencies to audit|found no dependencies|does not (?:provide|support)|no (?:registry )?(?:signing )?keys/i;

const { status, stdout, stderr, error } = spawnSync(
  process.env['NPM_PROGRAM'] ?? 'npm',
  ['audit', 'signatures', '--fetch-retries=0', '--fetch-timeout=20000'],
  { cwd: dirname(dirname(fileURLToPath(import.meta.url))), encoding: 'utf8', timeout: TIMEOUT_MS },
);
const said = `${stdout ?? ''}${stderr ?? ''}`.trim();
if (status === 0) {
  console.log(said);
} else if (
  error?.code === 'ETIMEDOUT' ||
  ((UNREACHABLE.test(said) || NO_SIGNATURES.test(said)) && !/invalid|missing/i.test(said))
) {
  const why = said.split('\n').find((line) => UNREACHABLE.test(line)) ?? error?.message ?? said.split('\n')[0];
  console.error(`SIGNATURES OF PACKAGES WERE NOT VERIFIED: the registry or its keys cannot be reached (${why}).`);
} else {
  console.error(said === '' ? String(error) : said);
  console.error('npm audit signatures failed; see above.');
  process.exitCode = 1;
}
