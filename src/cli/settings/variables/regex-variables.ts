import type { RegexEnvironment } from '../../../bootstrap/environment.js';
import { DEFAULT_REGEX_LIMITS } from '../../../config/regex/regex-limits.js';
import { integer } from '../../values/scalar-types.js';
import type { VariableTable } from '../setting.js';

const bytes = integer({ min: 1024 });

/** Variables that limit the memory of regular expressions in policies. `navigator-policy` reads some of them too. */
export const regexVariables = {
  navRegexExpressionBytes: {
    name: 'NAV_REGEX_EXPRESSION_BYTES',
    type: bytes,
    default: String(DEFAULT_REGEX_LIMITS.expressionBytes),
    meaning: 'Maximum compiled bytes of one regular expression of a policy, estimated from its text',
    addition: true,
  },
  navRegexMessageBytes: {
    name: 'NAV_REGEX_MESSAGE_BYTES',
    type: bytes,
    default: String(DEFAULT_REGEX_LIMITS.messageBytes),
    meaning:
      'Maximum compiled bytes of all expressions in the client configuration of one Check; expressions beyond it have no effect',
    addition: true,
  },
  navRegexNamespaceBytes: {
    name: 'NAV_REGEX_NAMESPACE_BYTES',
    type: bytes,
    default: String(DEFAULT_REGEX_LIMITS.namespaceBytes),
    meaning:
      'Maximum compiled bytes of all expressions in the QuotaSpecs and HTTPAPISpecs of one namespace; an object beyond it is rejected at admission',
    addition: true,
  },
  navRegexObjectBytes: {
    name: 'NAV_REGEX_OBJECT_BYTES',
    type: bytes,
    default: String(DEFAULT_REGEX_LIMITS.objectBytes),
    meaning:
      'Maximum compiled bytes of all expressions in one QuotaSpec or HTTPAPISpec; an object beyond it is rejected by every source',
    addition: true,
  },
  navRegexProgramsBytes: {
    name: 'NAV_REGEX_PROGRAMS_BYTES',
    type: bytes,
    default: String(DEFAULT_REGEX_LIMITS.programsBytes),
    meaning:
      'Maximum bytes of compiled expressions in the policy server. Beyond it, the least recently used expressions are evicted, and compiled again when needed',
    addition: true,
  },
  navRegexServiceBytes: {
    name: 'NAV_REGEX_SERVICE_BYTES',
    type: bytes,
    default: String(DEFAULT_REGEX_LIMITS.serviceBytes),
    meaning:
      'Maximum compiled bytes of all expressions in the specs that are bound to one service; expressions beyond it are rejected at admission, or have no effect',
    addition: true,
  },
} as const satisfies VariableTable<RegexEnvironment>;
