// The Worker that does nothing, whose start is subtracted from the service's. Its bindings are the service's, so it has the classes
// that they name.
import { DurableObject } from 'cloudflare:workers'

export class Organisation extends DurableObject {}
export class PublicLog extends DurableObject {}
export class PublicLogIndex extends DurableObject {}

export default { fetch: () => new Response() } satisfies ExportedHandler
