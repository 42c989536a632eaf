import type { Clock } from '../../base/clock.js';
import { isRecord } from '../../base/record.js';
import {
  createInjectionConfigReader,
  createInjectionOverridesReader,
  type InjectionConfig,
} from '../../config/injection/injection-config.js';
import type { MeshConfig } from '../../config/mesh/mesh-config.js';
import type { SchemaCompiler } from '../../config/schema/schema-reader.js';
import { joinFields } from '../../config/settings-reader.js';
import type { ConfigProblem } from '../../introspection/views.js';
import type { Logger } from '../../telemetry/logger.js';
import type { Metrics } from '../../telemetry/metrics.js';
import type { AdmissionEndpoint } from '../../webhooks/admission/admission-endpoint.js';
import type { ReviewIntake } from '../../webhooks/admission/review-intake.js';
import { createInjectionTools } from '../../webhooks/injection/create-injection-tools.js';
import type { InjectionSettings } from '../../webhooks/injection/inject.js';
import { createInjectionEndpoint } from '../../webhooks/injection/injection-handler.js';
import { type CompiledTemplate, createTemplateCompiler } from '../../webhooks/injection/template/compile-template.js';
import { createStopAfter } from '../../webhooks/injection/template/stop-after.js';
import type { MountedFromOf } from '../settings-file.js';
import type { SettingsKeeper } from '../settings-keeper.js';
import { createInjectionFiles } from './injection-files.js';

export interface InjectorOptions {
  /** Folder of the files `config` and `values` (docs/reference/webhooks.md#injection). */
  readonly directory: string;
  /** DNS_AGENT is set: DNS packets of new pods are captured unless the values of users say otherwise. Default false. */
  readonly capturesDns?: boolean;
  /**
   * Folder of the same files as an installation ships them. The files of `directory` then need only the differences.
   */
  readonly defaultsDirectory?: string;
  /** From which ConfigMap the files are mounted; default none. */
  readonly mountedFrom?: MountedFromOf;
  /** MESH_DOMAIN */
  readonly meshDomain: string;
  /** REVISION; empty for none. */
  readonly revision: string;
  /** The mesh config in force. */
  readonly mesh: () => MeshConfig;
  readonly compiler: SchemaCompiler;
  readonly keeper: Pick<SettingsKeeper, 'custodyOf'>;
  readonly clock: Clock;
  /** Scope `default`. */
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Shared with the other endpoints of the server. */
  readonly intake: ReviewIntake;
  /** Called after the image of the proxy may have changed. Default: nothing. */
  readonly onProxyImage?: () => void;
}

/** The injector and its files, which are read again after each change. */
export interface Injector {
  /** Answers `/inject`; rejects pods with the reason while the injector is off. */
  readonly endpoint: AdmissionEndpoint;
  /**
   * Settles when the files have been read.
   *
   * @throws SettingsRefusedError when a file cannot be used, and no earlier content is known
   */
  start(): Promise<void>;
  /**
   * The template as written, for `/debug/inject`; undefined while the injector is off because it has no config file.
   */
  template(): string | undefined;
  /** `proxy.image` of the values: the image of the proxies of new pods. Undefined without it, or while the injector is off. */
  proxyImage(): string | undefined;
  /** The present problems of the files. */
  problems(): readonly ConfigProblem[];
  stop(): Promise<void>;
}

/** Quiet time before a change is read: a file changes several times while it is written. */
const DEBOUNCE_MS = 100;

export function createInjector(options: InjectorOptions): Injector {
  const { directory, mesh, compiler, clock, logger, metrics } = options;
  const templates = createTemplateCompiler({ stopAfter: createStopAfter() });
  const readWhole = createInjectionConfigReader(compiler, templates.check);
  const readOverrides = createInjectionOverridesReader(readWhole);
  const onChange = (): void => options.onProxyImage?.();
  const files = { clock, logger, debounceMs: DEBOUNCE_MS, mountedFrom: options.mountedFrom, onChange };
  const shipped = createInjectionFiles<InjectionConfig>({
    ...files,
    directory: options.defaultsDirectory,
    readConfig: readWhole,
  });
  const own = createInjectionFiles<Partial<InjectionConfig>>({
    ...files,
    directory,
    readConfig: (content) => (shipped.config() === undefined ? readWhole(content) : readOverrides(content)),
    keeper: options.keeper,
  });

  let compiled: ReadonlyMap<string, CompiledTemplate> = new Map();
  const wholeConfig = (): InjectionConfig | undefined => {
    // An own template leaves the shipped templates of other names in force.
    const templates = { ...shipped.config()?.templates, ...own.config()?.templates };
    const fields = { ...shipped.config(), ...own.config(), templates };
    return isWhole(fields) ? fields : undefined;
  };
  const compile = ({ template, templates: named }: InjectionConfig): void => {
    const texts = new Set([template, ...Object.values(named)]);
    if (texts.size === compiled.size && [...texts].every((text) => compiled.has(text))) return;
    compiled = new Map([...texts].map((text) => [text, compiled.get(text) ?? templates.compile(text)]));
  };
  const settings = (): InjectionSettings | undefined => {
    const present = wholeConfig();
    if (present === undefined) return undefined;
    compile(present);
    return {
      config: present,
      values: joinFields(
        options.capturesDns === true ? joinFields(shipped.values(), { dnsCapture: true }) : shipped.values(),
        own.values(),
      ),
      compiled,
      mesh: mesh(),
    };
  };

  return {
    endpoint: createInjectionEndpoint({
      ...{ settings, tools: createInjectionTools(options), metrics, logger, clock },
      intake: options.intake,
    }),
    start: async () => {
      // The shipped config decides how the own one is read.
      await shipped.start();
      await own.start();
      if (wholeConfig() === undefined) logger.info({ directory }, 'sidecar injector is off: it has no configuration');
    },
    template: () => wholeConfig()?.template,
    proxyImage: () => {
      const { proxy } = wholeConfig() === undefined ? {} : joinFields(shipped.values(), own.values());
      return isRecord(proxy) && typeof proxy['image'] === 'string' ? proxy['image'] : undefined;
    },
    problems: () => [...shipped.problems(), ...own.problems()],
    stop: async () => {
      await Promise.all([shipped.stop(), own.stop()]);
    },
  };
}

function isWhole(config: Partial<InjectionConfig>): config is InjectionConfig {
  return config.template !== undefined;
}
