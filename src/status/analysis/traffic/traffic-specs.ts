/**
 * The fields that analysis reads of the kinds that route, connect and authenticate. All are optional: analysis reads
 * objects of several versions of the schemas.
 */
export interface DestinationPart {
  readonly host?: string | undefined;
  readonly subset?: string | undefined;
  readonly port?: { readonly number?: number | undefined } | undefined;
}

interface RoutePart {
  readonly match?: readonly { readonly gateways?: readonly string[] | undefined }[] | undefined;
  readonly route?: readonly { readonly destination?: DestinationPart | undefined }[] | undefined;
}

interface MatchPart {
  readonly regex?: string | undefined;
}

export interface HttpRoutePart extends RoutePart {
  readonly match?:
    | readonly {
        readonly gateways?: readonly string[] | undefined;
        readonly uri?: MatchPart | undefined;
        readonly method?: MatchPart | undefined;
      }[]
    | undefined;
  readonly mirror?: DestinationPart | undefined;
  readonly mirrorPercent?: number | undefined;
  readonly delegate?: { readonly name?: string | undefined; readonly namespace?: string | undefined } | undefined;
  readonly fault?: { readonly delay?: { readonly percent?: number | undefined } | undefined } | undefined;
  readonly corsPolicy?: { readonly allowOrigin?: readonly string[] | undefined } | undefined;
}

export interface VirtualServicePart {
  readonly hosts?: readonly string[] | undefined;
  readonly gateways?: readonly string[] | undefined;
  readonly exportTo?: readonly string[] | undefined;
  readonly http?: readonly HttpRoutePart[] | undefined;
  readonly tls?: readonly RoutePart[] | undefined;
  readonly tcp?: readonly RoutePart[] | undefined;
}

export interface ClientTlsPart {
  readonly mode?: string | undefined;
  readonly caCertificates?: string | undefined;
  readonly credentialName?: string | undefined;
}

export interface TrafficPolicyPart {
  readonly tls?: ClientTlsPart | undefined;
  readonly outlierDetection?: { readonly consecutiveErrors?: number | undefined } | undefined;
  readonly portLevelSettings?:
    | readonly (Omit<TrafficPolicyPart, 'portLevelSettings'> & {
        readonly port?: { readonly number?: number | undefined } | undefined;
      })[]
    | undefined;
}

export interface DestinationRulePart {
  readonly host?: string | undefined;
  readonly exportTo?: readonly string[] | undefined;
  readonly trafficPolicy?: TrafficPolicyPart | undefined;
  readonly subsets?:
    | readonly {
        readonly name?: string | undefined;
        readonly labels?: Readonly<Record<string, string>> | undefined;
        readonly trafficPolicy?: TrafficPolicyPart | undefined;
      }[]
    | undefined;
}

export interface GatewayPart {
  readonly selector?: Readonly<Record<string, string>> | undefined;
  readonly servers?:
    | readonly {
        readonly port?: { readonly number?: number | undefined; readonly protocol?: string | undefined } | undefined;
        readonly hosts?: readonly string[] | undefined;
      }[]
    | undefined;
}

export interface SidecarPart {
  readonly workloadSelector?: { readonly labels?: Readonly<Record<string, string>> | undefined } | undefined;
  readonly egress?: readonly { readonly hosts?: readonly string[] | undefined }[] | undefined;
}

/** EnvoyFilter has the field of Sidecar; kinds of security have `selector`. */
export interface SelectingPart extends Pick<SidecarPart, 'workloadSelector'> {
  readonly selector?: { readonly matchLabels?: Readonly<Record<string, string>> | undefined } | undefined;
}
