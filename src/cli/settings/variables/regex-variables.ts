import type { RegexEnvironment } from '../../../bootstrap/options.js';
import { DEFAULT_REGEX_LIMITS } from '../../../config/regex/regex-limits.js';
import { integer } from '../../values/scalar-types.js';
import type { VariableTable } from '../setting.js';

const bytes = integer({ min: 1024 });

/** Variables that bound the memory of regular expressions in policies; `navigator-policy` reads them too. */
export const regexVariables = {
  navRegexExpressionBytes: {
    name: 'NAV_REGEX_EXPRESSION_BYTES',
    type: bytes,
    default: String(DEFAULT_REGEX_LIMITS.expressionBytes),
    meaning: 'Bytes that one regular expression of a policy may take once it is compiled, as estimated from its text',
    addition: true,
  },
  navRegexMessageBytes: {
    name: 'NAV_REGEX_MESSAGE_BYTES',
    type: bytes,
    default: String(DEFAULT_REGEX_LIMITS.messageBytes),
    meaning: 'The same for all expressions in the client configuration that one Check brings; the rest has no effect',
    addition: true,
  },
  navRegexNamespaceBytes: {
    name: 'NAV_REGEX_NAMESPACE_BYTES',
    type: bytes,
    default: String(DEFAULT_REGEX_LIMITS.namespaceBytes),
    meaning:
      'The same for the QuotaSpecs and HTTPAPISpecs of one namespace together; an object beyond it is refused at admission',
    addition: true,
  },
  navRegexObjectBytes: {
    name: 'NAV_REGEX_OBJECT_BYTES',
    type: bytes,
    default: String(DEFAULT_REGEX_LIMITS.objectBytes),
    meaning: 'The same for one QuotaSpec or HTTPAPISpec; an object beyond it is refused by every source',
    addition: true,
  },
  navRegexProgramsBytes: {
    name: 'NAV_REGEX_PROGRAMS_BYTES',
    type: bytes,
    default: String(DEFAULT_REGEX_LIMITS.programsBytes),
    meaning: 'Bytes of compiled expressions that the policy server keeps; idle ones are evicted, and compiled again',
    addition: true,
  },
  navRegexServiceBytes: {
    name: 'NAV_REGEX_SERVICE_BYTES',
    type: bytes,
    default: String(DEFAULT_REGEX_LIMITS.serviceBytes),
    meaning:
      'Bytes of all expressions of the specs that are bound to one service; those beyond have no effect, or are refused at admission',
    addition: true,
  },
} as const satisfies VariableTable<RegexEnvironment>;
