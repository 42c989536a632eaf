/** Numbers of the objects of a configuration, and of those with a problem, for the metrics of policy servers. */
export interface RuleCounts {
  readonly adapters: number;
  /** Adapters that are refused, or whose templates do not exist. */
  readonly invalidAdapters: number;
  /** Attributes of the mesh and of manifests. */
  readonly attributes: number;
  readonly handlers: number;
  /** Handlers that are refused, or whose adapter is not known. */
  readonly invalidHandlers: number;
  readonly instances: number;
  /** Instances that are refused, have wrong expressions, or an unknown template. */
  readonly invalidInstances: number;
  readonly rules: number;
  /** Rules that are refused or have a problem. */
  readonly invalidRules: number;
  /** Rules whose condition is wrong. */
  readonly invalidMatches: number;
  readonly templates: number;
  /** Templates that are refused. */
  readonly invalidTemplates: number;
}
