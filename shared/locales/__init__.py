"""The user's locale, and its formats of numbers and dates, which are the same as those of browsers.

In reading order: `tags` chooses the locale, `formats` has its formats, `active` is the locale of the current request.
Scripts read the locale from `data-locale` of the page and use the Intl API.
"""
