"""What users and libraries hold: PettingZoo's and Gymnasium's environments, and what they show."""
