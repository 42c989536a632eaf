import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import type { ServerPlace } from '../inspect/open-servers.js';
import type { ClusterAccessOptions } from '../kubernetes/client/cluster-access.js';
import type { ServerFlags } from './settings/server-flags.js';
import { SettingError } from './settings/setting-error.js';

const OWN_ADDRESS = '127.0.0.1:15014';

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * The servers that the flags name.
 *
 * @throws SettingError if the flags name an address and a cluster
 */
export function serverPlace(flags: ServerFlags, variables: Variables): ServerPlace {
  if (!namesCluster(flags)) return { type: 'address', address: flags.address === '' ? OWN_ADDRESS : flags.address };
  return { type: 'cluster', access: clusterOptions(flags, variables), namespace: flags.namespace };
}

/** @throws SettingError if the flags name an address too */
export function namesCluster({ address, cluster, kubeconfig, context }: Omit<ServerFlags, 'namespace'>): boolean {
  const isCluster = cluster || kubeconfig !== '' || context !== '';
  if (isCluster && address !== '') {
    throw new SettingError('--address', '--address names one server, --cluster all of a cluster: use one of them');
  }
  return isCluster;
}

/** The access to the cluster that the flags and KUBECONFIG name. */
export function clusterOptions(
  { kubeconfig, context }: Pick<ServerFlags, 'kubeconfig' | 'context'>,
  variables: Variables,
): ClusterAccessOptions {
  return {
    orchConfig: kubeconfig === '' ? usualKubeconfig(variables) : kubeconfig,
    context,
    kubeconfigFlag: '--kubeconfig',
    environment: variables,
  };
}

/** Empty if there is none; then only a pod finds its cluster. */
function usualKubeconfig(variables: Variables): string {
  const [named = ''] = (variables['KUBECONFIG'] ?? '').split(delimiter);
  if (named !== '') return named;
  const usual = join(variables['HOME'] ?? homedir(), '.kube', 'config');
  return existsSync(usual) ? usual : '';
}
