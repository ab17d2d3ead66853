// A timestamp authority that is the same after a restart: in a folder with its certificates and its key, and beside them what is
// to be trusted, as a file that countersign-verify takes.
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Certificate } from 'pkijs'
import { z } from 'zod'
import { derOf, pemOf } from './certificates.ts'
import { makeAuthority, type Authority } from './server.ts'

const KeptSchema = z.strictObject({ issuer: z.base64(), signer: z.base64(), key: z.base64() })

/** `certificateFile`: that of its issuer, as PEM. */
export type KeptAuthority = { authority: Authority; certificateFile: string }

/** A folder without one gets a new one. */
export async function keepAuthority(folder: string): Promise<KeptAuthority> {
  mkdirSync(folder, { recursive: true })
  const [file, certificateFile] = [join(folder, 'authority.json'), join(folder, 'authority.pem')]
  if (!existsSync(file)) await makeAnew(file)
  const { issuer, signer, key } = KeptSchema.parse(JSON.parse(readFileSync(file, 'utf8')))
  const authority = {
    issuer: { certificate: Certificate.fromBER(Buffer.from(issuer, 'base64')) },
    signer: {
      certificate: Certificate.fromBER(Buffer.from(signer, 'base64')),
      key: await crypto.subtle.importKey('pkcs8', Buffer.from(key, 'base64'), KEY, false, ['sign']),
    },
  }
  writeFileSync(certificateFile, pemOf(authority.issuer))
  return { authority, certificateFile }
}

const KEY = { name: 'ECDSA', namedCurve: 'P-256' }

async function makeAnew(file: string): Promise<void> {
  const { issuer, signer } = await makeAuthority(Date.now())
  const key = Buffer.from(await crypto.subtle.exportKey('pkcs8', signer.key))
  const [issuerDer, signerDer] = [derOf(issuer), derOf(signer)]
  const kept = {
    issuer: issuerDer.toString('base64'),
    signer: signerDer.toString('base64'),
    key: key.toString('base64'),
  }
  writeFileSync(`${file}.new`, JSON.stringify(kept), { mode: 0o600 })
  renameSync(`${file}.new`, file)
}
