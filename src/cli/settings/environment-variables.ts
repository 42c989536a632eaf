import type { Environment } from '../../bootstrap/options.js';
import type { VariableTable } from './setting.js';
import { httpVariables } from './variables/http-variables.js';
import { processVariables } from './variables/process-variables.js';
import { proxyVariables } from './variables/proxy-variables.js';
import { pushVariables } from './variables/push-variables.js';
import { regexVariables } from './variables/regex-variables.js';
import { securityVariables } from './variables/security-variables.js';
import { sourceVariables } from './variables/source-variables.js';
import { xdsLimitVariables } from './variables/xds-limit-variables.js';

/** Every environment variable that the process reads (SPEC 4.6, MESH_DOMAIN of DESIGN 2, and what says that it is ours). */
export const environmentVariables: VariableTable<Environment> = {
  ...httpVariables,
  ...processVariables,
  ...proxyVariables,
  ...pushVariables,
  ...regexVariables,
  ...securityVariables,
  ...sourceVariables,
  ...xdsLimitVariables,
};
