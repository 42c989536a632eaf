import type { Clock } from '../base/clock.js';
import { revisionSuffix } from '../base/revision.js';
import { createKeptSettings } from '../sources/settings/kept-settings.js';
import type { SettingsCustody } from '../sources/settings/settings-custody.js';
import type { Logger } from '../telemetry/logger.js';
import type { Metrics } from '../telemetry/metrics.js';
import type { ClusterConnection } from './cluster-connection.js';

/** Settings from files or the cluster, by their names in the metric and in the ConfigMap of kept contents. */
export type SettingName = 'mesh' | 'meshNetworks' | 'policyConfig' | 'injectionConfig' | 'injectionValues';

/** Keeps the last usable settings of a process. */
export interface SettingsKeeper {
  custodyOf(setting: SettingName): SettingsCustody;
  stop(): void;
}

export interface SettingsKeeperParts {
  /** The cluster in which contents are kept; undefined where no cluster is read, and none are kept. */
  readonly connection: Pick<ClusterConnection, 'open'> | undefined;
  /** Namespace of the control plane. */
  readonly namespace: string;
  /** REVISION; each revision has settings of its own. */
  readonly revision: string;
  readonly metrics: Metrics;
  /** Scope `source`. */
  readonly logger: Logger;
  readonly clock: Clock;
}

/** A password in an address, `redis://:secret@host`, must not reach a ConfigMap. */
const PASSWORD = /:\/\/[^\s/"']*@/;

/**
 * Counts refused contents, and keeps the last content in force in the ConfigMap `mesh[-<revision>]-last-good-settings`.
 */
export function createSettingsKeeper(parts: SettingsKeeperParts): SettingsKeeper {
  const { connection, namespace, revision, metrics, logger, clock } = parts;
  const name = `mesh${revisionSuffix(revision)}-last-good-settings`;
  const kept = connection && createKeptSettings({ namespace, name, open: connection.open, logger, clock });
  return {
    custodyOf: (setting) => ({
      recall: async () => await kept?.recall(setting),
      keep: (text) => kept?.keep(setting, PASSWORD.test(text) ? undefined : text),
      forget: () => kept?.keep(setting, undefined),
      refused: () => metrics.increment('nav_refused_settings_total', { setting }),
    }),
    stop: () => kept?.stop(),
  };
}
