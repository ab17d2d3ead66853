// Handles Microsoft Entra issuers with many tenants: their metadata names an issuer with a placeholder, each token its own
// tenant. SECURITY: parts of a token are read here to be checked, never trusted. Pure.
import type { AuthorizationServer } from 'oauth4webapi'
import * as z from 'zod'
import { once } from '../../platform/once.ts'
import { decodeBase64url } from '../../evidence/records/base64.ts'
import { readJson } from '../../platform/json.ts'

const PLACEHOLDER = '{tenantid}'

const TenantSchema = once(() => z.object({ tid: z.guid() }))
const HeaderSchema = once(() => z.object({ kid: z.string() }))
const KeysSchema = once(() =>
  z.object({
    jwks: z.object({ keys: z.array(z.looseObject({ kid: z.string().optional(), issuer: z.string().optional() })) }),
  }),
)

/** Returns the issuer that the metadata of this issuer must name. */
export const issuerInMetadata = (issuer: string): string =>
  issuer.replace(/^(https?:\/\/[^/]+\/)(?:common|organizations)(?=\/)/, `$1${PLACEHOLDER}`)

/**
 * Returns the server with the issuer of the tenant that the token claims; null if it claims none. Returns a server of one tenant
 * as it is.
 */
export function withTenantIssuer(server: AuthorizationServer, idToken: unknown): AuthorizationServer | null {
  if (!server.issuer.includes(PLACEHOLDER)) return server
  const tenant = TenantSchema().safeParse(readPart(idToken, 1))
  return tenant.success ? { ...server, issuer: server.issuer.replace(PLACEHOLDER, tenant.data.tid) } : null
}

/**
 * Returns true if the signing key may sign for the tenant. A key set mixes keys of single tenants with keys for all.
 * @param server the issuer of many tenants, of which `tenantServer` is one
 */
export function maySignFor(
  tenantServer: AuthorizationServer,
  server: AuthorizationServer,
  idToken: unknown,
  keys: unknown,
): boolean {
  if (tenantServer === server) return true
  const kid = HeaderSchema().safeParse(readPart(idToken, 0)).data?.kid
  const key = KeysSchema()
    .safeParse(keys)
    .data?.jwks.keys.find((one) => one.kid === kid)
  return key !== undefined && [undefined, tenantServer.issuer, server.issuer].includes(key.issuer)
}

/** Returns the header (0) or the payload (1) of a JWT; undefined if it is not JSON. */
function readPart(token: unknown, index: 0 | 1): unknown {
  const bytes = typeof token === 'string' ? decodeBase64url(token.split('.')[index] ?? '') : null
  return bytes === null ? undefined : readJson(new TextDecoder().decode(bytes))
}
