/** The pages of those who are not signed in. */
export const door = {
  signIn: 'Anmelden',
  signInLead: 'Deine Podcasts und wo du aufgehört hast zu hören: auf allen Geräten gleich.',
  register: 'Konto anlegen',
  firstTitle: 'Willkommen bei podstep',
  firstLead: 'Hier hat noch niemand ein Konto. Wer das erste anlegt, verwaltet diesen Server: Das bist du.',
  username: 'Benutzername',
  usernameHint: 'Buchstaben, Ziffern, „_“, „.“ und „-“. Du wirst ihn in deine Podcast-Apps eintippen.',
  password: 'Passwort',
  passwordHint: 'Mindestens 4 Zeichen.',
  newPassword: 'Neues Passwort',
  email: 'E-Mail-Adresse',
  emailHint: 'Für einen Link, falls du dein Passwort vergisst.',
  emailInviteHint: 'Dorthin schicken wir dir einen Link, der das Konto aktiviert.',
  noAccount: 'Noch kein Konto?',
  haveAccount: 'Du hast schon ein Konto?',
  closed: 'Dieser Server nimmt keine neuen Konten an. Bitte die Person, die ihn betreibt, um eines.',
  or: 'oder',
  signInWith: 'Mit {provider} anmelden',
  forgotten: 'Passwort vergessen?',
  forgottenTitle: 'Ein neues Passwort',
  forgottenLead: 'Nenn uns die E-Mail-Adresse deines Kontos. Gibt es eines, ist gleich ein Link unterwegs.',
  send: 'Link schicken',
  sent: 'Gibt es ein Konto mit dieser Adresse, ist eine Mail dorthin unterwegs. Der Link gilt 24 Stunden.',
  checkMail:
    'Dein Konto ist angelegt. Ein Schritt fehlt noch: Öffne den Link in der Mail, die wir dir geschickt haben. Er gilt 48 Stunden.',
  wrong: 'Benutzername oder Passwort stimmt nicht.',
  pending:
    'Dieses Konto wartet auf seine Aktivierung. Öffne den Link in der Mail, die du bekommen hast, oder wende dich an die Person, die den Server betreibt.',
  inactive: 'Dieses Konto ist deaktiviert. Wende dich an die Person, die den Server betreibt.',
  taken: 'Dieser Name ist vergeben.',
  emailTaken: 'Mit dieser Adresse gibt es schon ein Konto.',
  activateTitle: 'Konto aktivieren',
  activating: 'Einen Moment …',
  activateLead: 'Ein Druck auf den Knopf, und das Konto gehört dir.',
  activate: 'Aktivieren',
  activated: 'Dein Konto ist aktiv. Melde dich an und verbinde deine erste App.',
  tokenBad: 'Dieser Link ist unbekannt, schon benutzt oder zu alt.',
  tokenBadActivate:
    'Bitte die Person, die den Server betreibt, dein Konto zu aktivieren, oder lege noch einmal eines an.',
  tokenBadReset: 'Lass dir einen neuen Link schicken; der neueste gilt.',
  resetTitle: 'Neues Passwort wählen',
  resetLead: 'Alle Apps und Browser müssen sich dann neu damit anmelden.',
  resetDone: 'Dein Passwort ist geändert. Melde dich damit an, hier und in deinen Apps.',
  errors: {
    sso_unavailable:
      'Der Anmeldedienst ist gerade nicht zu erreichen. Versuche es später noch einmal, oder melde dich mit deinem Passwort an.',
    sso_state:
      'Die Anmeldung hat zu lange gedauert oder wurde in einem anderen Fenster begonnen. Versuche es noch einmal.',
    sso_denied: 'Der Anmeldedienst hat dich nicht hereingelassen.',
    sso_failed:
      'Mit dem Anmeldedienst ist etwas schiefgegangen. Bleibt das so, gib der Person Bescheid, die diesen Server betreibt.',
    account_inactive: 'Dieses Konto ist deaktiviert. Wende dich an die Person, die den Server betreibt.',
    account_pending: 'Dieses Konto wartet auf seine Aktivierung.',
    registration_closed:
      'Für dich gibt es hier noch kein Konto, und dieser Server legt von sich aus keines an. Wende dich an die Person, die ihn betreibt.',
    email_taken:
      'Mit deiner E-Mail-Adresse gibt es schon ein Konto. Melde dich mit seinem Passwort an und verknüpfe den Anmeldedienst auf deiner Kontoseite.',
    identity_taken: 'Diese Identität gehört zu einem anderen Konto auf diesem Server.',
  } as Readonly<Record<string, string>>,
  errorUnknown: 'Die Anmeldung hat nicht geklappt.',
}
