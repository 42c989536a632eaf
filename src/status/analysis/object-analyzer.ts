import type { MeshObject } from '../../config/object.js';
import type { AnalysisMessage } from './analysis-message.js';
import type { TrafficIndex } from './traffic/traffic-index.js';

/**
 * Finds the messages about one object: of the mesh, or of a review before it is applied. The index may have an older
 * version of the object.
 */
export type FindObjectMessages = (object: MeshObject, index: TrafficIndex) => readonly AnalysisMessage[];

/** An analyzer of the objects of some kinds. */
export interface ObjectAnalyzer {
  readonly kinds: readonly string[];
  readonly find: FindObjectMessages;
}
