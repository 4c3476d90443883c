"""What anybody may know, as events: the bus, the feed of a competition, and MQTT."""
