// Rows that each lead somewhere, of which one may be open.
import type { ComponentChildren } from 'preact'
import { Icon } from './icon.view.tsx'
import { chevron } from './icons.ts'
import { ParameterLink, type Change } from './url-parameters.view.tsx'

type LinkRowProps = {
  /** An address, or parameters of this page. */
  to: string | Change
  isCurrent?: boolean
  sign?: ComponentChildren
  title: ComponentChildren
  about?: ComponentChildren
  /** At the end. */
  children?: ComponentChildren
}

export function LinkRow({ to, isCurrent, sign, title, about, children }: LinkRowProps) {
  const content = (
    <>
      {sign}
      <div>
        <b>{title}</b>
        {about}
      </div>
      {children}
    </>
  )
  return (
    <li>
      {typeof to === 'string' ? (
        <a class="list-row row" href={to}>
          {content}
        </a>
      ) : (
        <ParameterLink look="row" change={to} isCurrent={isCurrent}>
          {content}
        </ParameterLink>
      )}
    </li>
  )
}

/** @param href null where there is nothing to open */
export const LinkOrText = ({ href, children }: { href: string | null; children: ComponentChildren }) =>
  href === null ? <>{children}</> : <a href={href}>{children}</a>

/** The link of a whole row of a list, to another page. */
export const CoverLink = ({ href, children }: { href: string; children: ComponentChildren }) => (
  <a class="cover plain-link" href={href}>
    {children}
  </a>
)

/** Where something is: a link to its list, and its name. */
export const Crumb = ({ list, change, place }: { list: string; change: Change; place: string }) => (
  <nav class="crumb row soft small" data-gap="2" aria-label="Where this is">
    <ParameterLink change={change}>{list}</ParameterLink>
    <Icon of={chevron} />
    <p>{place}</p>
  </nav>
)
