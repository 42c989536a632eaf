/**
 * The generated values that have an effect, with the effect: `<Kind> <field> <mutation>`. All three places must report
 * each other generated value.
 */
const IN_REPORTS = 'every report has the attribute with this value';
const ATTRIBUTES: Readonly<Record<string, string>> = {
  'attributes unknown key': IN_REPORTS,
  'attributes{}.stringValue unknown': IN_REPORTS,
  'attributes{}.int64Value zero': IN_REPORTS,
  'attributes{}.doubleValue zero': IN_REPORTS,
  'attributes{}.boolValue false': IN_REPORTS,
  'attributes{}.stringMapValue.entries unknown key': IN_REPORTS,
  'attributes{}.stringMapValue.entries{} empty': IN_REPORTS,
  'attributes{}.stringMapValue.entries{} unknown': IN_REPORTS,
};

const WHOLE_SERVICE = 'the binding acts on all workloads of the service';

export const EFFECTIVE_VALUES: ReadonlyMap<string, string> = new Map([
  ...Object.entries(ATTRIBUTES).map(([value, why]) => [`HTTPAPISpec attributes.${value}`, why] as const),
  ...Object.entries(ATTRIBUTES).map(([value, why]) => [`HTTPAPISpec patterns[].attributes.${value}`, why] as const),
  ['HTTPAPISpec apiKeys empty', 'keys are looked for in the three default places'],
  ['HTTPAPISpec apiKeys[].query unknown', 'a request can have any query parameter'],
  ['HTTPAPISpec apiKeys[].header unknown', 'a request can have any header'],
  ['HTTPAPISpecBinding services[].labels empty', WHOLE_SERVICE],
  ['QuotaSpec rateLimitHeaders false', 'answers have no such headers'],
  ['QuotaSpec dryRun false', 'the spec is enforced'],
  ['QuotaSpec rules repeated', 'a request is charged by both rules'],
  ['QuotaSpec rules[].match empty', 'the rule holds for every request'],
  ['QuotaSpec rules[].match[].clause{}.regex unknown', 'a host can have any name'],
  ['QuotaSpec rules[].quotas repeated', 'a request is charged twice'],
  ['QuotaSpecBinding services[].labels empty', WHOLE_SERVICE],
  ['Plan match empty', 'the plan includes every request'],
  ['Plan match[].clause{}.regex unknown', 'a host can have any name'],
  ['Plan limits empty', 'the plan allows any number of requests'],
  ['Plan limits[].name unknown', 'callers see the name'],
  ['Plan limits[].requests zero', 'the plan allows no request'],
  ['Plan limits[].match empty', 'the limit counts every request'],
  ['Plan limits[].match[].clause{}.regex unknown', 'a host can have any name'],
]);

const NEXT_MATCH = 'spec.rules[0].match[1]';

/** The places that lose their effect because of a generated value in another place. */
export const TOLD_ELSEWHERE: ReadonlyMap<string, string> = new Map([
  ['QuotaSpec rules[].match[] empty', NEXT_MATCH],
  ['QuotaSpec rules[].match[].clause empty', NEXT_MATCH],
  ['Plan match[] empty', 'spec.match[1]'],
  ['Plan match[].clause empty', 'spec.match[1]'],
  ['Plan limits[].match[] empty', 'spec.limits[0].match[1]'],
  ['Plan limits[].match[].clause empty', 'spec.limits[0].match[1]'],
]);

/** The fields whose valid values all have an effect, with the effect. */
export const ALWAYS_EFFECTIVE: ReadonlyMap<string, string> = new Map([
  ['QuotaSpec rateLimitHeaders', 'answers have the headers, or have none'] as const,
  ['QuotaSpec dryRun', 'requests are refused, or are counted and pass'] as const,
  ['Plan limits[].requests', 'so many requests are allowed, or none'] as const,
  ...['attributes', 'patterns[].attributes'].flatMap((place) =>
    ['int64Value', 'doubleValue', 'boolValue', 'stringMapValue.entries{}'].map(
      (member) => [`HTTPAPISpec ${place}.attributes{}.${member}`, IN_REPORTS] as const,
    ),
  ),
]);
