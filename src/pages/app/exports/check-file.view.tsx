// Exports page: how a file is checked without this service, with a command that names the file and with the key.
import type { Infer } from '../../../platform/once.ts'
import type { SigningKeySchema } from '../../../evidence/records/attestation.schema.ts'
import { sendRequest } from '../../api/send-request.ts'
import { useAnswer } from '../../api/use-answer.ts'
import { CopyableText, CopyButton } from '../../parts/copy-button.view.tsx'
import { HeadedCard, ButtonLink } from '../../parts/surfaces.view.tsx'
import { Stack, Note } from '../../parts/layout.view.tsx'

type Props = {
  /** The name of the file. Null: the checker reads no such file. */
  name: string | null
  /** True if each record is checked with the key of its time. */
  isWithKeys: boolean
}

export const CheckFile = ({ name, isWithKeys }: Props) => (
  <HeadedCard title="Check a file">
    {name === null ? (
      <p>
        Each signed record is checked by itself: copy a <code>record</code> from <code>receipts</code> in the file, and
        paste it into <a href="/verify">Verify</a>.
      </p>
    ) : (
      <>
        <p>
          Open it in <a href="/verify">Verify</a>, in this browser or offline. Or save{' '}
          <a href="/countersign-verify.mjs" download>
            the checker
          </a>
          , one file for Node, and run it:
        </p>
        <CopyableText
          line={`node countersign-verify.mjs \\\n  ${name} \\\n  ${isWithKeys ? '--keys kept-keys.json' : '--key "$PINNED_KEY"'}`}
        />
        <Stack gap={2}>
          {isWithKeys ? (
            <ButtonLink href="/v1/attestation/keys" download="kept-keys.json">
              Save the public keys
            </ButtonLink>
          ) : (
            <PublicKey />
          )}
          <Note as="p">
            {isWithKeys ? 'Keys that you have' : 'A key that you have'} from another place, or kept from before, proves
            more: then you need not trust this service.
          </Note>
        </Stack>
      </>
    )}
  </HeadedCard>
)

function PublicKey() {
  const [loaded] = useAnswer(
    (signal) => sendRequest<Infer<typeof SigningKeySchema>>('GET', '/v1/attestation/public-key', { signal }),
    [],
  )
  return (
    <CopyButton
      text={loaded.state === 'answered' ? loaded.body.public_key : null}
      what=""
      label="Copy the public key"
    />
  )
}
