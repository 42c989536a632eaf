import type { Static } from 'typebox';
import * as Type from 'typebox';
import type { Immutable } from '../schema/immutable.js';
import { stringMap } from '../schema/string-map.js';
import { childPath, type Violation } from '../violation.js';

const MAX_RULES = 128;
const MAX_LENGTH = 256;

const localityText = (description: string) => Type.String({ description, minLength: 1, maxLength: MAX_LENGTH });

const fields = {
  enabled: Type.Boolean({ description: 'If false, callers treat all localities alike.', default: true }),
  distribute: Type.Optional(
    Type.Array(
      Type.Object(
        {
          from: localityText('Locality of callers: region/zone/subzone, region/zone/*, region/* or *.'),
          to: stringMap(Type.Integer({ description: 'Percent of the requests.', minimum: 0, maximum: 100 }), {
            description: 'Percent of the requests by locality of endpoints, in the same forms; the sum is 100.',
            maxProperties: MAX_RULES,
          }),
        },
        { additionalProperties: false, description: 'How callers of one locality spread their requests.' },
      ),
      {
        description:
          'Spreads the requests of callers over localities by weight. The first rule for the locality of a caller ' +
          'applies; callers without a rule treat all localities alike. Not together with failover.',
        maxItems: MAX_RULES,
      },
    ),
  ),
  failover: Type.Optional(
    Type.Array(
      Type.Object(
        {
          from: localityText('Region of callers.'),
          to: localityText('Region that they prefer when their own has no healthy endpoint.'),
        },
        { additionalProperties: false, description: 'The next region for the callers of a region.' },
      ),
      {
        description:
          'Callers prefer near endpoints: same subzone, zone, region, then the region named here, then all others. ' +
          'Needs outlierDetection. Not together with distribute.',
        maxItems: MAX_RULES,
      },
    ),
  ),
};

/** `localityLbSetting` of a DestinationRule, which replaces that of the mesh config. */
export const localityLbSettingSchema = Type.Object(fields, {
  additionalProperties: false,
  description: 'How callers choose among localities.',
});

/** `localityLbSetting` of the mesh config. */
export const meshLocalityLbSettingSchema = Type.Object(fields, {
  description: 'How callers choose among localities, for hosts whose DestinationRule does not say.',
  default: {},
});

export type LocalityLbSetting = Immutable<Static<typeof localityLbSettingSchema>>;

/** The rules that the schema cannot express (docs/reference/validation-rules.md#destinationrule). */
export function validateLocalityLbSetting(
  { distribute, failover }: LocalityLbSetting,
  path: string,
): readonly Violation[] {
  const violations: Violation[] = [];
  if (distribute !== undefined && failover !== undefined) {
    violations.push({ path, message: 'sets distribute and failover together', remedy: 'keep one of them' });
  }
  for (const [index, { from, to }] of distribute?.entries() ?? []) {
    const at = `${path}.distribute[${index}]`;
    if (!isLocalityPattern(from)) violations.push(notALocality(`${at}.from`, from));
    const localities = Object.keys(to);
    for (const locality of localities) {
      if (!isLocalityPattern(locality)) violations.push(notALocality(childPath(`${at}.to`, locality), locality));
    }
    const sum = Object.values(to).reduce((total, weight) => total + weight, 0);
    if (sum !== 100) {
      const message = localities.length === 0 ? 'has no localities' : `has weights that sum to ${sum}`;
      violations.push({ path: `${at}.to`, value: to, message, remedy: 'give weights whose sum is 100' });
    }
  }
  for (const [index, { from, to }] of failover?.entries() ?? []) {
    const at = `${path}.failover[${index}]`;
    for (const [field, region] of Object.entries({ from, to })) {
      if (/^[^/*]+$/.test(region)) continue;
      violations.push({
        path: `${at}.${field}`,
        value: region,
        message: 'is not a region',
        remedy: 'name a region, without zone and without "*"',
      });
    }
    if (from === to) {
      violations.push({
        path: `${at}.to`,
        value: to,
        message: 'is the same region as from',
        remedy: 'name another one',
      });
    }
  }
  return violations;
}

/** `*`, or one to three parts, the last of which may be `*`. */
function isLocalityPattern(text: string): boolean {
  return text === '*' || /^[^/*]+(?:\/[^/*]+){0,2}$/.test(text) || /^[^/*]+(?:\/[^/*]+)?\/\*$/.test(text);
}

function notALocality(path: string, value: string): Violation {
  return {
    path,
    value,
    message: 'is not a locality',
    remedy: 'write region/zone/subzone, region/zone, region, region/zone/*, region/* or *',
  };
}
