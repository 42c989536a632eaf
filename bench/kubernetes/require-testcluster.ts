import { findTestcluster } from '../../test/counterparts/kubernetes/find-testcluster.js';
import { BenchError } from '../cli/bench-error.js';

/** @returns the path of the testcluster binary. @throws BenchError if it is missing */
export function requireTestcluster(): string {
  const found = findTestcluster();
  if (!('value' in found)) throw new BenchError('kubernetes-missing', `${found.missing}.`);
  return found.value;
}
