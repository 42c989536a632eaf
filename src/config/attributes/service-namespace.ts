/**
 * The attribute with the namespace of the service of a request. Rules of a namespace apply to its own services by this
 * attribute, so that its value comes from the object of the service alone.
 */
export const SERVICE_NAMESPACE = 'destination.service.namespace';
