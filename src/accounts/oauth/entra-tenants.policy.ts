// Microsoft Entra's issuers that stand for many tenants: their metadata names an issuer with a placeholder, and each token
// the issuer of its own tenant. What is read here of a token is read to be checked, never believed. Pure.
import type { AuthorizationServer } from 'oauth4webapi'
import { z } from '@hono/zod-openapi'
import { decodeBase64url } from '../../evidence/records/base64.ts'
import { readJson } from '../../platform/json-object.ts'

const PLACEHOLDER = '{tenantid}'

const TenantSchema = z.object({ tid: z.guid() })
const HeaderSchema = z.object({ kid: z.string() })
const KeysSchema = z.object({
  jwks: z.object({ keys: z.array(z.looseObject({ kid: z.string().optional(), issuer: z.string().optional() })) }),
})

/** What the metadata of this issuer has to name as its issuer. */
export const issuerInMetadata = (issuer: string): string =>
  issuer.replace(/^(https?:\/\/[^/]+\/)(?:common|organizations)(?=\/)/, `$1${PLACEHOLDER}`)

/**
 * The same server as the issuer of one tenant, where it stands for many: the one that the token claims to be of. Null where
 * it claims to be of none.
 */
export function asTenant(server: AuthorizationServer, idToken: unknown): AuthorizationServer | null {
  if (!server.issuer.includes(PLACEHOLDER)) return server
  const tenant = TenantSchema.safeParse(readPart(idToken, 1))
  return tenant.success ? { ...server, issuer: server.issuer.replace(PLACEHOLDER, tenant.data.tid) } : null
}

/**
 * Whether the key that signed may sign for the tenant: the keys of single tenants stand among those that are for all.
 * @param server the many, of which `issuing` is one
 */
export function maySignFor(
  issuing: AuthorizationServer,
  server: AuthorizationServer,
  idToken: unknown,
  keys: unknown,
): boolean {
  if (issuing === server) return true
  const kid = HeaderSchema.safeParse(readPart(idToken, 0)).data?.kid
  const key = KeysSchema.safeParse(keys).data?.jwks.keys.find((one) => one.kid === kid)
  return key !== undefined && [undefined, issuing.issuer, server.issuer].includes(key.issuer)
}

/** The header (0) or the payload (1) of a JWT; undefined where it is no JSON. */
function readPart(token: unknown, index: 0 | 1): unknown {
  const bytes = typeof token === 'string' ? decodeBase64url(token.split('.')[index] ?? '') : null
  return bytes === null ? undefined : readJson(new TextDecoder().decode(bytes))
}
