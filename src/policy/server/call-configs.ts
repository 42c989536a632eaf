import type { BoundQuotaSpec } from '../../config/policy/bound-specs.js';
import type { HttpClientConfig, TcpClientConfig } from '../../config/policy/client-config.js';
import { createRegexBudget } from '../../config/regex/regex-budget.js';
import type { AttributeLayer } from '../client/attribute-bag.js';
import { readAttributes } from '../client/attributes-from-config.js';
import type { CompiledQuotaSpecs } from '../client/compile-quota-specs.js';
import { withoutServiceNamespace } from '../client/service-namespace.js';
import type { TransportConfig } from '../client/transport-config.js';
import { CLIENT_CONFIG_METADATA } from '../wire/call-metadata.js';
import { createBoundedMemo } from './bounded-memo.js';
import { type CallClaims, readCallClaims } from './callers/call-claims.js';
import type { PolicyTexts } from './policy-texts.js';
import { createPrepared, type Prepared, preparePolicies } from './prepare-policies.js';
import type { RegexService } from './regex-service.js';

/** A proxy's own configuration from its calls, ready for use. */
export interface CallConfig {
  readonly transport: TransportConfig;
  readonly staticLayer: AttributeLayer;
  /** The text of the attributes for the report; empty for none. */
  readonly staticText: string;
  /** The statements about the proxy that are compared with its certificate. */
  readonly claims: CallClaims;
  readonly ignoreForwarded: boolean;
  /** The service of calls without a service. */
  readonly defaultService: string | undefined;
  readonly disableCheckCalls: boolean;
  readonly disableReportCalls: boolean;
  /** Whether the caller enforces the fast specs of the service itself. */
  readonly countsFastQuotas: boolean;
  /** The charges of connections, in place of those of their service; only for TCP, where the configuration has them. */
  readonly connectionQuotas: Prepared<CompiledQuotaSpecs> | undefined;
  /** The size in the memo beside its text, in characters. */
  readonly weight: number;
}

/** A call with an unreadable configuration: even its fail policy is unknown. */
export class CallConfigError extends Error {
  readonly code = 'INVALID_CALL_CONFIG';

  constructor(kind: 'HttpClientConfig' | 'TcpClientConfig', options?: ErrorOptions) {
    super(`the metadata ${CLIENT_CONFIG_METADATA} is not a base64 ${kind}: update discovery and this server`, options);
    this.name = 'CallConfigError';
  }
}

/** Calls' configurations by their texts. */
export interface CallConfigs {
  /** @throws CallConfigError */
  http(text: string | undefined): CallConfig;
  /** @throws CallConfigError */
  tcp(text: string | undefined): CallConfig;
}

/** Two for each proxy and service port. For 10,000 proxies they need some tens of megabytes. */
const MEMO = { entries: 16_384, maxKeyLength: 65_536, characters: 20_000_000 };

/** Heap that a rule or condition of a configuration takes, in characters of its text. */
const ITEM_CHARACTERS = 500;
/** The programs of all call configurations share one budget of memory and time, for any claim of a call. */
const OWNER = 'configurations of calls';

/**
 * A call without a configuration has the defaults of docs/reference/policy-client.md#transportconfig and
 * docs/reference/policy-client.md#tcpclientconfig.
 */
export function createCallConfigs(texts: PolicyTexts, regexes: RegexService): CallConfigs {
  const prepareQuotas = (spec: BoundQuotaSpec): Prepared<CompiledQuotaSpecs> =>
    createPrepared(
      regexes.work,
      OWNER,
      function* () {
        const check = createRegexBudget({
          maxBytes: regexes.limits.messageBytes,
          scope: 'of the configuration of one call',
          remedy: 'bind fewer or smaller specs to the service, or raise NAV_REGEX_MESSAGE_BYTES',
          check: regexes.check,
        });
        const home = { programs: regexes.programs, owner: OWNER };
        const { quotas } = yield* preparePolicies({ quotaSpec: [spec] }, { check, home });
        if (quotas.problems.length > 0) regexes.leftOut('message', quotas.problems.length, quotas.problems[0]);
        return quotas;
      },
      ({ programs }) => programs,
    );

  const configOf = (
    { transport, mixerAttributes }: Pick<TcpClientConfig, 'transport' | 'mixerAttributes'>,
    rest: Partial<CallConfig>,
  ): CallConfig => {
    const told = readAttributes(mixerAttributes, 'mixerAttributes');
    // A proxy can send another configuration than the control plane gave it.
    const staticLayer = withoutServiceNamespace(told);
    return {
      transport: transport ?? {},
      staticLayer,
      staticText: staticLayer.size === 0 ? '' : texts.attributesText(staticLayer),
      claims: readCallClaims(told),
      ignoreForwarded: false,
      defaultService: undefined,
      disableCheckCalls: false,
      disableReportCalls: false,
      countsFastQuotas: false,
      connectionQuotas: undefined,
      weight: 0,
      ...rest,
    };
  };
  const http = createBoundedMemo(MEMO, (text) => {
    const config: Partial<HttpClientConfig> | undefined = text === '' ? {} : texts.readHttpClientConfigText(text);
    if (config === undefined) throw new CallConfigError('HttpClientConfig');
    const { ignoreForwardedAttributes = false, countsFastQuotas = false, defaultDestinationService } = config;
    return configOf(config, {
      ignoreForwarded: ignoreForwardedAttributes,
      countsFastQuotas,
      defaultService: defaultDestinationService,
    });
  });
  const tcp = createBoundedMemo({ ...MEMO, weightOf: (config: CallConfig) => config.weight }, (text) => {
    const config: Partial<TcpClientConfig> | undefined = text === '' ? {} : texts.readTcpClientConfigText(text);
    if (config === undefined) throw new CallConfigError('TcpClientConfig');
    const { disableCheckCalls = false, disableReportCalls = false, connectionQuotaSpec } = config;
    const connectionQuotas = connectionQuotaSpec && prepareQuotas(connectionQuotaSpec);
    const weight = connectionQuotaSpec === undefined ? 0 : ITEM_CHARACTERS * itemsOf(connectionQuotaSpec);
    return configOf(config, { disableCheckCalls, disableReportCalls, connectionQuotas, weight });
  });
  return { http: (text = '') => http(text), tcp: (text = '') => tcp(text) };
}

function itemsOf({ rules }: BoundQuotaSpec): number {
  return rules.reduce((sum, { match, quotas, workloads = [] }) => {
    const conditions = match.reduce((count, { clause }) => count + 1 + Object.keys(clause).length, 0);
    return sum + 1 + quotas.length + conditions + workloads.length;
  }, 0);
}
