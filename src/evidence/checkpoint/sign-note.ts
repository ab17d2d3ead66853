// Makes and checks the signatures of a note: all of its keys sign one text.
import { isOfKey, type NoteKey } from './note-key.ts'
import { verifySignature, type NoteSigner, type Verified } from './note-signature.ts'
import { formatNote, type Note } from './signed-note.ts'

/** @param at milliseconds since the epoch */
export async function signNote(text: string, signers: readonly NoteSigner[], at: number): Promise<string> {
  const seconds = Math.floor(at / 1000)
  const signatures = await Promise.all(
    signers.map(async ({ key: { name, keyId }, sign }) => ({ name, keyId, signature: await sign(text, seconds) })),
  )
  return formatNote({ text, signatures })
}

/**
 * The signatures of the keys that are known; several of one key where it signed several times. Null where a line of a known
 * key is not its signature: that spoils the note. Lines of other keys are not looked at.
 */
export function verifyNote({ text, signatures }: Note, keys: readonly NoteKey[]): Verified[] | null {
  const verified: Verified[] = []
  for (const line of signatures) {
    const key = keys.find((known) => isOfKey(line, known))
    if (key === undefined) continue
    const found = verifySignature(key, text, line.signature)
    if (found === null) return null
    verified.push(found)
  }
  return verified
}
