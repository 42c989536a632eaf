import type { GatewayClassSpec } from '../../config/gateway-api/gateway-class.js';
import { keyOf } from '../../config/object.js';
import { type ObjectTables, objectsOf } from './objects-of.js';
import { type ClassReport, condition } from './report.js';
import { SUPPORTED_FEATURES } from './supported-features.js';

/** The GatewayClasses of this controller. */
export interface GatewayClasses {
  /** Names of the accepted ones. */
  readonly accepted: ReadonlySet<string>;
  readonly reports: readonly ClassReport[];
}

export function readGatewayClasses(objects: ObjectTables, controllerName: string): GatewayClasses {
  const accepted = new Set<string>();
  const reports: ClassReport[] = [];
  for (const object of objectsOf<GatewayClassSpec>(objects, 'GatewayClass')) {
    const { body, metadata } = object;
    if (body.controllerName !== controllerName) continue;
    const hasParameters = body.parametersRef !== undefined;
    if (!hasParameters) accepted.add(metadata.name);
    reports.push({
      key: keyOf(object),
      generation: metadata.generation,
      conditions: [
        hasParameters
          ? condition('Accepted', false, 'InvalidParameters', 'parametersRef is set, but this mesh has none; remove it')
          : condition('Accepted', true, 'Accepted', 'this control plane serves the Gateways of the class'),
      ],
      supportedFeatures: SUPPORTED_FEATURES,
    });
  }
  return { accepted, reports };
}
