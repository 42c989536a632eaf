import type { Clock } from '../../base/clock.js';
import { errorText } from '../../base/error-text.js';
import type { PolicyServerConfig } from '../../config/policy-server/policy-server-config.js';
import { createPolicyServerConfigReader } from '../../config/policy-server/read-policy-server-config.js';
import { createSchemaCompiler } from '../../config/schema/schema-reader.js';
import type { SettingsFields } from '../../config/settings-reader.js';
import type { ConfigProblem } from '../../introspection/views.js';
import { NO_QUOTA_SHAPES, type QuotaShapes } from '../../model/policy/fast/quota-shapes.js';
import type { SettingsCustody } from '../../sources/settings/settings-custody.js';
import type { Logging } from '../../telemetry/logging.js';
import { createSettingsFile, type MountedFromOf, readInstallationDefaults } from '../settings-file.js';
import { StartError } from '../start-error.js';

export interface PolicyConfigurationOptions {
  /** File of --policyConfig; without the file no quota has a limit. */
  readonly configFile: string;
  /** From which ConfigMap the file is mounted; default none. */
  readonly mountedFrom?: MountedFromOf;
  /** NAV_POLICY_CONFIG_DEFAULTS: in force where the file does not set them. */
  readonly configDefaults: SettingsFields;
  readonly custody: SettingsCustody;
  readonly logging: Logging;
  readonly clock: Clock;
  /** The configuration has changed, or the changed one has been refused. */
  readonly onConfigChange?: () => void;
}

/** The configuration of the policy server: the file of --policyConfig, and what other parts ask of it. */
export interface PolicyConfiguration {
  /** The configuration in force: the file's newest content that could be applied. */
  current(): PolicyServerConfig;
  /**
   * Reads the file and applies it, now and after each change.
   *
   * @param apply throws when the configuration names a file that cannot be used
   * @throws SettingsRefusedError when the file cannot be used and no earlier content is known; StartError when `apply`
   *   throws
   */
  start(apply: (config: PolicyServerConfig) => void): Promise<void>;
  /** Applies the configuration again: a file that it names has changed. */
  reapply(): void;
  /** The largest limit of each quota; undefined while a remote server decides. */
  limitedQuotas(): ReadonlyMap<string, number> | undefined;
  /** The dimensions of each quota. */
  quotaDimensions(): ReadonlyMap<string, readonly string[]>;
  /** The forms of the limits, for the configuration of proxies; empty while a remote server decides. */
  quotaShapes(): QuotaShapes;
  /** Whether limits are counted in the memory of this process, where other replicas do not see them. */
  countsInMemory(): boolean;
  problems(): readonly ConfigProblem[];
  stop(): Promise<void>;
}

export function createPolicyConfiguration(options: PolicyConfigurationOptions): PolicyConfiguration {
  const { configFile, mountedFrom, logging, clock, onConfigChange } = options;
  let apply: (config: PolicyServerConfig) => void = () => undefined;
  let refusal: string | undefined;

  const take = (config: PolicyServerConfig): void => {
    apply(config);
    inForce = config;
    limited = limitedQuotasOf(config);
    dimensions = quotaDimensionsOf(config);
    shapes = quotaShapesOf(config);
    onConfigChange?.();
  };
  const change = (config: PolicyServerConfig): void => {
    try {
      take(config);
      refusal = undefined;
    } catch (error) {
      refusal = errorText(error);
      logging
        .scope('policy')
        .error(
          { file: configFile, ...mountedFrom?.(configFile), reason: refusal },
          'changed policy configuration refused, the former one stays in force',
        );
      onConfigChange?.();
    }
  };
  const file = createSettingsFile({
    file: configFile,
    mountedFrom,
    ...readInstallationDefaults(
      'NAV_POLICY_CONFIG_DEFAULTS',
      options.configDefaults,
      createPolicyServerConfigReader(createSchemaCompiler()),
    ),
    custody: options.custody,
    logger: logging.scope('source'),
    clock,
    onChange: change,
  });
  let inForce = file.current();
  let limited = limitedQuotasOf(inForce);
  let dimensions = quotaDimensionsOf(inForce);
  let shapes = quotaShapesOf(inForce);

  return {
    current: () => inForce,
    start: async (applyConfig) => {
      apply = applyConfig;
      const config = await file.start();
      try {
        take(config);
      } catch (cause) {
        throw new StartError(`${configFile}: ${errorText(cause)}`, { cause });
      }
    },
    reapply: () => change(file.current()),
    limitedQuotas: () => limited,
    quotaDimensions: () => dimensions,
    quotaShapes: () => shapes,
    countsInMemory: () => countsInMemory(inForce),
    problems: () => [...file.problems(), ...(refusal === undefined ? [] : [{ file: configFile, reason: refusal }])],
    stop: file.stop,
  };
}

function countsInMemory({ quotas, storage, backend }: PolicyServerConfig): boolean {
  return backend === undefined && storage.type === 'memory' && quotas.length > 0;
}

/** The largest limit that any caller has of each quota; undefined where another server counts. */
function limitedQuotasOf({ quotas, backend }: PolicyServerConfig): ReadonlyMap<string, number> | undefined {
  if (backend !== undefined) return undefined;
  return new Map(
    quotas.map(({ name, maxAmount, overrides }) => [
      name,
      Math.max(maxAmount, ...overrides.map((override) => override.maxAmount)),
    ]),
  );
}

function quotaDimensionsOf({ quotas, backend }: PolicyServerConfig): ReadonlyMap<string, readonly string[]> {
  if (backend !== undefined) return new Map();
  return new Map(quotas.map(({ name, dimensions }) => [name, dimensions.map(({ text }) => text)]));
}

function quotaShapesOf({ quotas, backend }: PolicyServerConfig): QuotaShapes {
  if (backend !== undefined) return NO_QUOTA_SHAPES;
  return new Map(
    quotas.map(({ name, dimensions, keys }) => [
      name,
      { dimensions: dimensions.map(({ text }) => text), hasKeyList: keys !== undefined },
    ]),
  );
}
