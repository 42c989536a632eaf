import type { Environment } from '../../bootstrap/environment.js';
import type { VariableTable } from './setting.js';
import { dnsVariables } from './variables/dns-variables.js';
import { httpVariables } from './variables/http-variables.js';
import { processVariables } from './variables/process-variables.js';
import { proxyVariables } from './variables/proxy-variables.js';
import { pushVariables } from './variables/push-variables.js';
import { regexVariables } from './variables/regex-variables.js';
import { securityVariables } from './variables/security-variables.js';
import { sourceVariables } from './variables/source-variables.js';
import { tracingVariables } from './variables/tracing-variables.js';
import { xdsLimitVariables } from './variables/xds-limit-variables.js';

/** All environment variables of `discovery`. */
export const environmentVariables: VariableTable<Environment> = {
  ...dnsVariables,
  ...httpVariables,
  ...processVariables,
  ...proxyVariables,
  ...pushVariables,
  ...regexVariables,
  ...securityVariables,
  ...sourceVariables,
  ...tracingVariables,
  ...xdsLimitVariables,
};
