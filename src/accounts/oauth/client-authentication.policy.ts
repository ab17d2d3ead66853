// How a provider is told who we are. Pure.
import { ClientSecretBasic, ClientSecretPost, type AuthorizationServer, type ClientAuth } from 'oauth4webapi'

/** In the body where that is taken; else in the header, which is meant where nothing is said (OpenID Connect Discovery 1.0). */
export function authenticationOf(server: AuthorizationServer, secret: string): ClientAuth {
  const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
  const takesHeaderOnly = methods.includes('client_secret_basic') && !methods.includes('client_secret_post')
  return takesHeaderOnly ? ClientSecretBasic(secret) : ClientSecretPost(secret)
}
