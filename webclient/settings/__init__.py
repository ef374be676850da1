"""Every setting of this program: what it may be, and where it comes from."""

from webclient.settings.settings import Settings, SettingsError, load_settings

__all__ = ["Settings", "SettingsError", "load_settings"]
