// The keys page: the list of the organisation's API keys, one key, the form of a new one, and the new key itself.
import { useState } from 'preact/hooks'
import type { Key } from '../../../keys/key.schema.ts'
import { lazy } from '../../parts/lazy.view.tsx'
import { changeUrlParameters, useUrlParameters } from '../../parts/url-parameters.view.tsx'
import { openPage } from '../open-page.tsx'
import { hasPermission } from '../session.ts'
import { KeyListView } from './key-list.view.tsx'
import { KeysHead } from './keys-head.view.tsx'
import type { CreatedKey } from './key-labels.tsx'
import { NewKeyView, type NewSecret } from './new-key.view.tsx'

const CreateKeyView = lazy(
  24,
  async () => (await import('./create-key.view.tsx')).CreateKeyView,
  <KeysHead title="Create a key" place="New key" lead="" />,
)
const KeyView = lazy(30, async () => (await import('./key-page.view.tsx')).KeyView, <KeysHead place="Key" lead="" />)

function Keys() {
  const [address] = useUrlParameters()
  const [secret, setSecret] = useState<NewSecret | null>(null)
  const id = address.get('id') ?? ''
  const show = (created: CreatedKey, old: Key | null, made: readonly Key[] = []): void => {
    setSecret({ created, old, made })
    // The address is that of the key, without its secret: loading it again shows the key as any other.
    openKey(created)
  }
  if (secret !== null) {
    const { created } = secret
    return (
      <NewKeyView
        key={created.id}
        {...secret}
        isLeaving={id !== created.id}
        onStay={() => openKey(created)}
        onLeave={() => setSecret(null)}
      />
    )
  }
  if (address.get('create') === 'key' && hasPermission('keys:own')) {
    return <CreateKeyView onMade={(created) => show(created, null)} />
  }
  if (id !== '') return <KeyView key={id} id={id} onRotated={(rotated, old) => show(rotated, old, rotated.made)} />
  return <KeyListView />
}

const openKey = ({ id }: Key): void => changeUrlParameters({ id, create: '' })

await openPage('/app/keys', Keys)
