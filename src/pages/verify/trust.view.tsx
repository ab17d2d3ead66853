// Which keys are trusted: those that the visitor gives, and what each way of getting them is worth.
import { Command } from '../parts/copy.view.tsx'

type Given = { hasTrust: boolean; onTrust: (hasTrust: boolean) => void }

export function TrustChoice({ hasTrust, onTrust }: Given) {
  return (
    <fieldset class="stack-s">
      <legend>Which keys to trust</legend>
      <label class="choice">
        <input type="radio" name="trust" checked={hasTrust} onChange={() => onTrust(true)} />
        <span>
          Keys that I give. <span class="soft">Valid then means: one of them has signed it.</span>
        </span>
      </label>
      <label class="choice">
        <input type="radio" name="trust" checked={!hasTrust} onChange={() => onTrust(false)} />
        <span>
          No key: is a record whole?{' '}
          <span class="soft">It never says valid, since anyone can make a record that is whole.</span>
        </span>
      </label>
    </fieldset>
  )
}

export function WhereKeysAre() {
  const isServed = location.origin.startsWith('http')
  const origin = isServed ? location.origin : 'https://THE-ISSUER'
  return (
    <details>
      <summary>Where to get keys, and what that is worth</summary>
      <div class="stack">
        <p>
          Never from the evidence itself, nor from who hands it to you: whoever made it would choose the key that finds
          it valid.
        </p>
        <p>
          From a contract, an audit report or your own archive: as good as that paper is. This page cannot fetch keys,
          and asks nobody.
        </p>
        <p>
          As the issuer publishes them: this trusts whoever answers at that address on the day you ask. Keep the file,
          and use the kept one from then on. It tells for which time each key counts, and which were revoked.
        </p>
        {isServed && (
          <p>
            <a href="/v1/attestation/keys" download="kept-keys.json">
              Save the keys that this site publishes
            </a>
            , or in a terminal:
          </p>
        )}
        <Command line={`curl -o kept-keys.json ${origin}/v1/attestation/keys`} what="the command that keeps the keys" />
      </div>
    </details>
  )
}
