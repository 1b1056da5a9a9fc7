import { isNarrow } from '../../hooks/narrow.ts'
import { t } from '../../locales/index.ts'
import { signOut } from '../../store/account/sign-out.ts'
import { href } from '../../store/paths.ts'
import { ownName } from '../../store/session.ts'
import { attempt } from '../feedback/notice.tsx'
import { Menu, MenuChoice, MenuItem, MenuLink } from '../forms/menu.tsx'
import { languageChoice, themeChoice } from '../forms/preferences.tsx'
import { Icon } from '../icon.tsx'
import { Later } from '../layout/later.tsx'
import { initialsOf } from '../podcast/artwork.tsx'
import { openShortcuts } from '../shortcuts.tsx'

/** Menu of the signed-in user: account, appearance, shortcuts and sign-out. */
export function PersonMenu() {
  const name = ownName()
  return (
    <Menu
      class="person"
      name={t('common.person', { name })}
      content={
        <>
          {/* Drawn by CSS: visible text would have to be part of the button's accessible name. */}
          <span class="avatar" data-initials={initialsOf(name)} />
          <span class="person-name cut">{name}</span>
          <Icon name="updown" />
        </>
      }
    >
      <Later>
        <Items name={name} />
      </Later>
    </Menu>
  )
}

/** Items of the menu, rendered a frame after the page, since users open it later. */
function Items({ name }: { name: string }) {
  return (
    <>
      <p class="menu-head cut" role="presentation">
        {name}
      </p>
      <MenuLink icon="account" href={href('/account')}>
        {t('common.nav.account')}
      </MenuLink>
      <MenuChoice {...themeChoice()} />
      <MenuChoice {...languageChoice()} />
      {/* Phones have no keyboard. */}
      {!isNarrow.value && (
        <MenuItem icon="keyboard" onClick={openShortcuts}>
          {t('common.shortcuts.title')}
        </MenuItem>
      )}
      <MenuItem icon="leave" onClick={() => attempt(signOut)}>
        {t('common.signOut')}
      </MenuItem>
    </>
  )
}
